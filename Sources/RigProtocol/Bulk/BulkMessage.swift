/// What arrives on the bulk plane.
package enum BulkMessage: Sendable {
    case hello(BulkHello)
    case chunk(Chunk, bytes: [UInt8])
    case preview(Preview, bytes: [UInt8])
}
