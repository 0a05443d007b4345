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

    @Test("has its last column below each row where there is not")
    func narrow() {
        #expect(
            table.text(width: 60) == """
                NODE   CAMERA
                    REMARK
                top-1  v4l2:/dev/video0 (Great Camera)
                top-2  -
                    has not been seen since the coordinator started
                """)
    }

    @Test("breaks its widest columns between words where that is not enough, and no word")
    func narrower() {
        #expect(
            table.text(width: 30) == """
                NODE   CAMERA
                    REMARK
                top-1  v4l2:/dev/video0 (Great
                       Camera)
                top-2  -
                    has not been seen since
                    the coordinator started
                """)
        #expect(table.text(width: 1).contains("v4l2:/dev/video0"))
    }

    @Test("leaves out a column in which nothing stands")
    func empty() {
        var table = Table(["A", "B", "C"])
        table.add(["1", "", "3"])
        #expect(table.text(width: nil) == "A  C\n1  3")
        #expect(Table(["A", "B"]).text(width: 80) == "A  B", "but for one of a table without rows")
    }

    @Test("shows control characters, which no terminal obeys")
    func controls() {
        var table = Table(["A"])
        table.add(["\u{1B}[31m\n"])
        #expect(!table.text(width: 80).contains("\u{1B}") && table.text(width: 80).split(separator: "\n").count == 2)
    }
}
