import CaptureModel

/// The camera as its host sees it: descriptors, controls, a bulk stream; pure.
///
/// ```
/// idle --SET_CUR(VS_COMMIT)--> streaming --CLEAR_FEATURE(HALT), the driver's only sign of an end--> idle
/// ```
///
/// The host keeps five bulk transfers pending; a frame's bytes fill them as they come. A payload ends with a transfer
/// that is not full.
struct UVCDevice: Sendable {
    /// What the owner has to do, in order.
    enum Effect: Hashable, Sendable {
        case reply(USBIPReply)
        /// A control has a new value; the answer waits for ``UVCDevice/finish(_:length:isStalled:)``.
        case set(Control, Int64, seqnum: UInt32)
        case streamOn(VideoMode)
        case streamOff
    }

    /// The bytes of one bulk transfer; uvcvideo asks for 16 KiB and ends a payload at a short one.
    static let transferSize = 16_384

    private let camera: VirtualCameraConfiguration
    private let descriptors: Descriptors
    private(set) var values: [Control: Int64]
    private var probe = VideoMode()
    private var isStreaming = false
    /// The reason for the last stall (UVC 1.1, 4.2.1.2).
    private var errorCode: UInt8 = 0
    private var bulkTransfers: [USBIPMessage.Transfer] = []
    private var statusTransfer: USBIPMessage.Transfer?
    private var outgoing: [[UInt8]] = []
    private var notifications: [[UInt8]] = []

    init(_ camera: VirtualCameraConfiguration) {
        self.camera = camera
        descriptors = Descriptors(camera)
        values = Dictionary(uniqueKeysWithValues: Control.allCases.map { ($0, $0.defaultValue) })
    }

    /// What is streamed; nil while nothing is.
    var mode: VideoMode? { isStreaming ? probe : nil }

    func size(of mode: VideoMode) -> Dimensions { camera.sizes[Int(mode.frameIndex) - 1] }

    /// Takes a message from the host.
    mutating func receive(_ message: USBIPMessage) -> [Effect] {
        switch message {
        case .unlink(let seqnum, let target):
            return [.reply(.unlink(seqnum: seqnum, status: forget(target) ? -104 : 0))]
        case .submit(let transfer):
            switch transfer.endpoint {
            case 0:
                return control(transfer)
            case Descriptors.bulkEndpoint:
                bulkTransfers.append(transfer)
                return pump()
            case Descriptors.statusEndpoint:
                statusTransfer = transfer
                return notify()
            default:
                return [stall(transfer)]
            }
        }
    }

    private mutating func forget(_ seqnum: UInt32) -> Bool {
        let before = bulkTransfers.count
        bulkTransfers.removeAll { $0.seqnum == seqnum }
        if statusTransfer?.seqnum == seqnum {
            statusTransfer = nil
            return true
        }
        return bulkTransfers.count < before
    }

    // MARK: The stream

    /// Queues a payload: a header with the bytes of a frame, or a header alone.
    mutating func send(_ payload: [UInt8]) -> [Effect] {
        guard isStreaming else { return [] }
        var rest = payload[...]
        repeat {
            outgoing.append(Array(rest.prefix(Self.transferSize)))
            rest = rest.dropFirst(Self.transferSize)
        } while !rest.isEmpty
        // A payload that fills its last transfer needs an empty one to end.
        if payload.count % Self.transferSize == 0 { outgoing.append([]) }
        return pump()
    }

    private mutating func pump() -> [Effect] {
        var effects: [Effect] = []
        while !outgoing.isEmpty, !bulkTransfers.isEmpty {
            effects.append(.reply(Self.answer(bulkTransfers.removeFirst(), outgoing.removeFirst())))
        }
        return effects
    }

    // MARK: Controls

    /// Changes a control on the camera's own initiative, and reports it on the status endpoint (UVC 1.1, 2.4.2.2).
    mutating func change(_ control: Control, to value: Int64) -> [Effect] {
        guard values[control] != value else { return [] }
        values[control] = value
        let unit = control.entity == .camera ? Descriptors.cameraTerminal : Descriptors.processingUnit
        notifications.append([1, unit, 0, control.selector, 0] + control.bytes(value))
        return notify()
    }

    private mutating func notify() -> [Effect] {
        guard let transfer = statusTransfer, !notifications.isEmpty else { return [] }
        statusTransfer = nil
        return [.reply(Self.answer(transfer, notifications.removeFirst()))]
    }

    /// Answers a SET_CUR that was handed to the owner.
    ///
    /// - Parameter isStalled: whether to refuse it; the driver then reports EIO.
    mutating func finish(_ seqnum: UInt32, length: Int, isStalled: Bool) -> [Effect] {
        guard isStalled else { return [.reply(.submit(seqnum: seqnum, status: 0, data: [], actualLength: length))] }
        errorCode = 7
        return [.reply(.submit(seqnum: seqnum, status: -32, data: [], actualLength: 0))]
    }

    private mutating func control(_ transfer: USBIPMessage.Transfer) -> [Effect] {
        let setup = transfer.setup
        switch setup.requestType {
        case 0x80, 0x81, 0x82:
            return [standardGet(transfer)]
        case 0x00, 0x01:
            return [done(transfer)]
        case 0x02:
            // CLEAR_FEATURE(ENDPOINT_HALT) of the bulk endpoint.
            let isEnd = setup.request == 1 && UInt32(setup.index & 0x0f) == Descriptors.bulkEndpoint && isStreaming
            guard isEnd else { return [done(transfer)] }
            isStreaming = false
            outgoing = []
            return [done(transfer), .streamOff]
        case 0x21 where setup.index & 0xff == UInt16(Descriptors.streamingInterface),
            0xa1 where setup.index & 0xff == UInt16(Descriptors.streamingInterface):
            return streamingRequest(transfer)
        case 0x21, 0xa1:
            return controlRequest(transfer)
        default:
            return [stall(transfer)]
        }
    }

    private func standardGet(_ transfer: USBIPMessage.Transfer) -> Effect {
        let setup = transfer.setup
        switch setup.request {
        case 0: return .reply(Self.answer(transfer, [0, 0]))
        case 6:
            let (type, index) = (UInt8(setup.value >> 8), UInt8(setup.value & 0xff))
            guard let bytes = descriptors.descriptor(type: type, index: index) else { return stall(transfer) }
            return .reply(Self.answer(transfer, bytes))
        case 8: return .reply(Self.answer(transfer, [1]))
        case 10: return .reply(Self.answer(transfer, [0]))
        default: return stall(transfer)
        }
    }

    private mutating func controlRequest(_ transfer: USBIPMessage.Transfer) -> [Effect] {
        let setup = transfer.setup
        let (unit, selector) = (UInt8(setup.index >> 8), UInt8(setup.value >> 8))
        // VC_REQUEST_ERROR_CODE_CONTROL.
        if unit == 0, selector == 2 { return [.reply(Self.answer(transfer, [errorCode]))] }
        guard let control = Control.find(unit: unit, selector: selector) else {
            errorCode = 6
            return [stall(transfer)]
        }
        guard setup.requestType == 0x21 else { return [get(control, transfer)] }
        let value = control.value(transfer.data)
        guard control.accepts(value) else {
            errorCode = 4
            return [stall(transfer)]
        }
        values[control] = value
        return [.set(control, value, seqnum: transfer.seqnum)]
    }

    private mutating func get(_ control: Control, _ transfer: USBIPMessage.Transfer) -> Effect {
        switch transfer.setup.request {
        case 0x81: return .reply(Self.answer(transfer, control.bytes(values[control] ?? 0)))
        case 0x82: return .reply(Self.answer(transfer, control.bytes(control.range.lowerBound)))
        case 0x83: return .reply(Self.answer(transfer, control.bytes(control.range.upperBound)))
        case 0x84: return .reply(Self.answer(transfer, control.bytes(control.resolution)))
        case 0x85: return .reply(Self.answer(transfer, [UInt8(control.byteCount), 0]))
        case 0x86: return .reply(Self.answer(transfer, [control.info]))
        case 0x87: return .reply(Self.answer(transfer, control.bytes(control.defaultValue)))
        default:
            errorCode = 7
            return stall(transfer)
        }
    }

    /// VS_PROBE and VS_COMMIT (UVC 1.1, 4.3.1.1).
    private mutating func streamingRequest(_ transfer: USBIPMessage.Transfer) -> [Effect] {
        let (setup, selector) = (transfer.setup, transfer.setup.value >> 8)
        guard setup.requestType == 0x21 else {
            switch setup.request {
            case 0x85: return [.reply(Self.answer(transfer, [34, 0]))]
            case 0x86: return [.reply(Self.answer(transfer, [3]))]
            case 0x87: return [.reply(Self.answer(transfer, negotiation(VideoMode())))]
            default: return [.reply(Self.answer(transfer, negotiation(probe)))]
            }
        }
        probe = negotiated(transfer.data)
        guard selector == 2 else { return [done(transfer)] }
        isStreaming = true
        outgoing = []
        return [done(transfer), .streamOn(probe)]
    }

    /// The mode nearest to what the host wants.
    private func negotiated(_ bytes: [UInt8]) -> VideoMode {
        guard bytes.count >= 26 else { return VideoMode() }
        var mode = VideoMode()
        mode.format = VideoMode.Format(rawValue: bytes[2]) ?? .yuyv
        mode.frameIndex = (1...UInt8(camera.sizes.count)).contains(bytes[3]) ? bytes[3] : 1
        let wanted = Int64(bytes.littleEndian32(at: 4))
        mode.interval =
            VideoMode.intervals.min { abs(Int64($0) - wanted) < abs(Int64($1) - wanted) } ?? mode.interval
        return mode
    }

    private func negotiation(_ mode: VideoMode) -> [UInt8] {
        let frameBytes = size(of: mode).width * size(of: mode).height * 2
        let head: [UInt8] =
            [1, 0, mode.format.rawValue, mode.frameIndex] + .littleEndian(Int64(mode.interval), count: 4)
            + [UInt8](repeating: 0, count: 10)
        // One payload per frame; the header is at most 12 bytes, so there is room to spare.
        return head + .littleEndian(Int64(frameBytes), count: 4) + .littleEndian(Int64(frameBytes + 256), count: 4)
            + .littleEndian(1_000_000, count: 4) + [0, 0, 0, 0]
    }

    // MARK: Answers

    private func stall(_ transfer: USBIPMessage.Transfer) -> Effect {
        .reply(.submit(seqnum: transfer.seqnum, status: -32, data: [], actualLength: 0))
    }

    private func done(_ transfer: USBIPMessage.Transfer) -> Effect {
        .reply(.submit(seqnum: transfer.seqnum, status: 0, data: [], actualLength: transfer.data.count))
    }

    private static func answer(_ transfer: USBIPMessage.Transfer, _ bytes: [UInt8]) -> USBIPReply {
        let data = Array(bytes.prefix(transfer.length))
        return .submit(seqnum: transfer.seqnum, status: 0, data: data, actualLength: data.count)
    }
}
