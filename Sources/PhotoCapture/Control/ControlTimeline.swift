package import CaptureModel

/// Which values are in force on which frame; pure.
///
/// V4L2 does not say when a written control acts, nor on which frame, so this keeps the account: each write, the last
/// frame to arrive before it, and the delay of each control.
///
/// ```
/// written after s:   duration (delay 3)    gain (delay 2)
/// frame             s    s+1    s+2    s+3
/// in force on it              gain   duration
/// ```
package struct ControlTimeline: Sendable {
    private struct Landing {
        let frame: UInt32
        let values: ControlValues
    }

    /// What is in force on the frame that was last advanced to.
    package private(set) var inForce: ControlValues
    private var landings: [Landing] = []
    private var hasJustLanded = false

    package init(inForce: ControlValues = ControlValues()) {
        self.inForce = inForce
    }

    /// Whether what is in force on this frame is certain: nothing is still to land, and nothing was due to land
    /// on this very one. A write that was held up on its way lands a frame later, and nothing reports it.
    package var isSteady: Bool { landings.isEmpty && !hasJustLanded }

    /// What will be in force once everything written has landed.
    package var written: ControlValues {
        landings.reduce(inForce) { $1.values.over($0) }
    }

    /// Values were written right after a frame had arrived; nil where no frame has come yet.
    package mutating func wrote(_ values: ControlValues, after frame: UInt32?, _ delays: ControlDelays) {
        guard let frame else {
            landings.removeAll { landing in values.controls.contains { landing.values.only($0) != ControlValues() } }
            inForce = values.over(inForce)
            return
        }
        for control in values.controls {
            let landing = Landing(frame: frame &+ UInt32(delays[control]), values: values.only(control))
            // The newest write has the last word, even over one that was slow.
            landings.removeAll { $0.frame.isAfter(landing.frame) && $0.values.only(control) != ControlValues() }
            // In order of landing, later writes behind earlier ones for the same frame.
            let place = landings.firstIndex { $0.frame.isAfter(landing.frame) } ?? landings.endIndex
            landings.insert(landing, at: place)
        }
    }

    /// The exposure is no longer known.
    package mutating func forgetExposure() {
        landings.removeAll { $0.values.exposure != Exposure() }
        (inForce.exposureDuration, inForce.iso, inForce.gain) = (nil, nil, nil)
    }

    /// A frame has arrived, or is asked about. Returns what was in force on it.
    @discardableResult
    package mutating func advance(to frame: UInt32) -> ControlValues {
        hasJustLanded = false
        while let first = landings.first, !first.frame.isAfter(frame) {
            hasJustLanded = first.frame == frame
            inForce = first.values.over(inForce)
            landings.removeFirst()
        }
        return inForce
    }
}

extension UInt32 {
    /// Whether this frame number comes after another one; numbers wrap.
    package func isAfter(_ other: UInt32) -> Bool {
        Int32(bitPattern: self &- other) > 0
    }
}
