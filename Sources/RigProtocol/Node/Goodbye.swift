/// node -> coordinator: a clean stop; captures under way are over.
package struct Goodbye: WireMessage, Hashable {
    package static let type = "goodbye"

    package init() {}
}
