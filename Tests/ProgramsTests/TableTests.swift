import Programs
import Testing

@Suite("A table")
struct TableTests {
    private let table: Table = {
        var table = Table(["NODE", "CAMERA", "REMARK"])
        table.add(["top-1", "v4l2:/dev/video0 (Great Camera)", ""])
        table.add(["top-2", "-", "has not been seen since the coordinator started"])
        return table
    }()

    @Test("has each row on a line where there is room")
    func wide() {
        #expect(
            table.text(width: nil) == """
                NODE   CAMERA                           REMARK
                top-1  v4l2:/dev/video0 (Great Camera)
                top-2  -                                has not been seen since the coordinator started
                """)
        #expect(table.text(width: 200) == table.text(width: nil))
    }

    @Test("breaks its widest columns between words where there is not")
    func narrow() {
        #expect(
            table.text(width: 50) == """
                NODE   CAMERA                REMARK
                top-1  v4l2:/dev/video0
                       (Great Camera)
                top-2  -                     has not been seen
                                             since the coordinator
                                             started
                """)
        #expect(table.text(width: 1).contains("v4l2:/dev/video0"), "no word is broken")
    }

    @Test("shows control characters, which no terminal obeys")
    func controls() {
        var table = Table(["A"])
        table.add(["\u{1B}[31m\n"])
        #expect(!table.text(width: 80).contains("\u{1B}") && table.text(width: 80).split(separator: "\n").count == 2)
    }
}
