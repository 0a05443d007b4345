/// coordinator -> node: have your board's light blink, so that somebody finds it.
package struct Identify: WireMessage, Hashable {
    package static let type = "identify"
    /// The longest that a light blinks for one message.
    package static let longest = 600
    /// For how long, 1 to ``longest``.
    package var seconds: Int

    package init(seconds: Int) {
        self.seconds = seconds
    }
}
