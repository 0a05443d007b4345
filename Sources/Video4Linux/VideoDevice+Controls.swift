import CVideo4Linux
package import Posix

extension VideoDevice {
    /// Every control, with its range, menu and flags, in order of its id; compound controls included.
    package func controls() throws(SystemError) -> [Control] {
        var found: [Control] = []
        var next = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
        while true {
            var raw = v4l2_query_ext_ctrl()
            raw.id = next
            do {
                try call(cVIDIOC_QUERY_EXT_CTRL, &raw, "VIDIOC_QUERY_EXT_CTRL")
            } catch  where error.errno == EINVAL || error.errno == ENOTTY {
                return found
            }
            let control = Control(raw, menu: menu(of: raw))
            if control.kind != .controlClass && !control.flags.contains(.disabled) { found.append(control) }
            next = raw.id | UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
        }
    }

    private func menu(of raw: v4l2_query_ext_ctrl) -> [Control.MenuItem] {
        let isInteger = raw.type == Control.Kind.integerMenu.rawValue
        guard raw.type == Control.Kind.menu.rawValue || isInteger, raw.minimum <= raw.maximum else { return [] }
        return (raw.minimum...raw.maximum).compactMap { index in
            var item = v4l2_querymenu()
            item.id = raw.id
            item.index = UInt32(truncatingIfNeeded: index)
            // A hole in the menu is EINVAL.
            guard (try? call(cVIDIOC_QUERYMENU, &item, "VIDIOC_QUERYMENU")) != nil else { return nil }
            return Control.MenuItem(
                index: index, name: isInteger ? "\(item.value)" : text(item.name), value: isInteger ? item.value : nil)
        }
    }

    /// The value of a control, now or in a request.
    package func value(of control: Control, in request: MediaRequest? = nil) throws(SystemError) -> Int64 {
        var raw = v4l2_ext_control()
        raw.id = control.id.rawValue
        try transfer(&raw, cVIDIOC_G_EXT_CTRLS, "VIDIOC_G_EXT_CTRLS", control, request)
        return control.kind == .integer64 ? raw.value64 : Int64(raw.value)
    }

    /// Sets a control; the driver may round it, so read it back to know.
    ///
    /// - Parameter request: sets it for the frame of the request, not now.
    /// - Throws: ``SystemError`` named after the control: EACCES for one that is inactive or read-only, ERANGE or
    ///   EINVAL for a value out of range, EBUSY for one that is grabbed.
    package func setValue(
        _ value: Int64, of control: Control, in request: MediaRequest? = nil
    ) throws(SystemError) {
        var raw = v4l2_ext_control()
        raw.id = control.id.rawValue
        if control.kind == .integer64 { raw.value64 = value } else { raw.value = Int32(clamping: value) }
        try transfer(&raw, cVIDIOC_S_EXT_CTRLS, "VIDIOC_S_EXT_CTRLS", control, request)
    }

    private func transfer(
        _ raw: inout v4l2_ext_control, _ code: UInt, _ name: String, _ control: Control, _ request: MediaRequest?
    ) throws(SystemError) {
        let reason = withUnsafeMutablePointer(to: &raw) { pointer -> Int32? in
            var all = v4l2_ext_controls()
            all.which = request == nil ? cv4l2_current_values : cv4l2_request_values
            all.request_fd = request?.descriptor.rawValue ?? 0
            all.count = 1
            all.controls = pointer
            do throws(SystemError) {
                try call(code, &all, name)
                return nil
            } catch {
                return error.errno
            }
        }
        if let reason { throw SystemError(call: name, errno: reason, subject: "\(path), control '\(control.name)'") }
    }

    /// Asks for an event whenever a control changes.
    package func subscribe(to id: Control.ID) throws(SystemError) {
        var raw = v4l2_event_subscription()
        raw.type = UInt32(V4L2_EVENT_CTRL)
        raw.id = id.rawValue
        try call(cVIDIOC_SUBSCRIBE_EVENT, &raw, "VIDIOC_SUBSCRIBE_EVENT")
    }

    /// Takes the next control event; nil while there is none.
    package func dequeueControlEvent() throws(SystemError) -> ControlEvent? {
        var raw = v4l2_event()
        do {
            try call(cVIDIOC_DQEVENT, &raw, "VIDIOC_DQEVENT")
        } catch  where error.errno == ENOENT {
            return nil
        }
        guard raw.type == UInt32(V4L2_EVENT_CTRL) else { return try dequeueControlEvent() }
        let change = raw.u.ctrl
        let isWide = change.type == Control.Kind.integer64.rawValue
        return ControlEvent(
            id: Control.ID(rawValue: raw.id), value: isWide ? change.value64 : Int64(change.value),
            flags: Control.Flags(rawValue: change.flags))
    }
}

extension Control {
    fileprivate init(_ raw: v4l2_query_ext_ctrl, menu: [MenuItem]) {
        id = ID(rawValue: raw.id)
        name = text(raw.name)
        kind = Kind(rawValue: raw.type)
        minimum = raw.minimum
        maximum = raw.maximum
        step = raw.step
        defaultValue = raw.default_value
        flags = Flags(rawValue: raw.flags)
        self.menu = menu
    }
}
