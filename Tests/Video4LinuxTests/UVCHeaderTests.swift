import Testing
import Video4Linux

@Suite("uvcvideo's metadata")
struct UVCHeaderTests {
    private func headers(_ bytes: [UInt8]) -> [UVCHeader] {
        bytes.withUnsafeBytes { UVCHeader.headers(in: $0) }
    }

    private let both: [UInt8] = [
        1, 2, 0, 0, 0, 0, 0, 0, 0x34, 0x12, 12, 0x8d, 0x78, 0x56, 0x34, 0x12, 0xef, 0xcd, 0xab, 0x89, 0x01, 0x00,
    ]

    @Test("has a record for each header, with PTS and SCR where the flags say so")
    func records() {
        let clockAlone: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0x88, 1, 0, 0, 0, 0, 0]
        let found = headers(both + clockAlone + both)
        #expect(found.count == 3)
        #expect(
            found[0] == UVCHeader(receivedAt: 513, presentationTime: 0x1234_5678, sourceClock: 0x89ab_cdef))
        #expect(found[1] == UVCHeader(receivedAt: 3, presentationTime: nil, sourceClock: 1))
        #expect(found[2] == found[0])
    }

    @Test("that is cut short anywhere is read as far as it is whole")
    func cut() {
        for length in 0..<2 * both.count {
            #expect(headers(Array((both + both).prefix(length))).count == length / both.count)
        }
    }

    @Test("tell when a frame began where they agree, and nothing where they do not")
    func presentationTime() {
        func header(_ time: UInt32?) -> UVCHeader { UVCHeader(receivedAt: 1, presentationTime: time, sourceClock: nil) }
        #expect(UVCHeader.presentationTime(of: [header(nil), header(5), header(5)]) == 5)
        #expect(UVCHeader.presentationTime(of: [header(5), header(6)]) == nil)
        #expect(UVCHeader.presentationTime(of: [header(nil)]) == nil)
    }
}
