import ArgumentParser
import CaptureModel
import Foundation
import Programs
import RigProtocol
import RigTransport

/// A plan that is fired repeatedly, each time by an appointment of its own.
struct Series {
    /// How long before its time each capture is requested: by then the nodes are done with the one
    /// before, and they still have time to prepare.
    private static let ahead = Int64.seconds(1)
    /// The furthest ahead that the first may be.
    private static let furthest = Int64.seconds(86_400)

    let client: OperatorClient
    /// In nanoseconds.
    let interval: Int64
    let count: Int
    let json: Bool

    /// Fires all of them, and waits for them to end. One that is refused or not answered is reported, and the next one
    /// is fired all the same.
    func run(_ first: FireRequest) async throws {
        let start = first.at ?? UTCTime.now + Self.ahead
        guard start >= UTCTime.now else {
            throw OperatorClient.ClientError.refused(
                Refusal(.invalid, "Nothing was fired: the time of the first capture has passed."))
        }
        guard start - UTCTime.now <= Self.furthest else {
            throw OperatorClient.ClientError.refused(
                Refusal(.invalid, "Nothing was fired: the time of the first capture is more than a day ahead."))
        }
        let interrupt = CaptureWaiter.onInterrupt {
            "No more are fired; the captures whose ids are printed above go on. `volley captures` shows how."
        }
        defer { interrupt.cancel() }
        var accepted: [UniqueID] = []
        var unanswered: [(number: Int, request: FireRequest)] = []
        for number in 1...count {
            var request = first
            let time = start + Int64(number - 1) * interval
            request.requestID = UUID().uuidString
            request.at = time
            let wait = time - UTCTime.now - min(Self.ahead, interval / 2)
            if wait > 0 { try await Task.sleep(for: .nanoseconds(wait)) }
            do {
                if let id = try await fire(request, number) { accepted.append(id) }
            } catch OperatorClient.ClientError.unreachable(let place) where number > 1 {
                Output.words("volley: number \(number) of \(count): no coordinator answers at \(place)")
                unanswered.append((number, request))
            }
        }
        var tally = try await finish(accepted)
        for (number, request) in unanswered {
            do {
                // It may have been accepted all the same; if not, its time has passed.
                if let id = try await fire(request, number) {
                    let late = try await finish([id])
                    tally = (tally.whole + late.whole, tally.partial + late.partial)
                }
            } catch OperatorClient.ClientError.unreachable {
                Output.words(
                    "volley: number \(number) of \(count): nobody answers; see `volley captures` later for its outcome")
            }
        }
        if tally.whole < count {
            throw ExitCode(tally == (0, 0) ? ExitStatus.failed : ExitStatus.partial)
        }
    }

    /// - Returns: nil if it is refused, which is reported.
    private func fire(_ request: FireRequest, _ number: Int) async throws -> UniqueID? {
        do {
            let reply = try await client.ask(request)
            if json { try Output.json(reply, isLine: true) } else { Output.data("\(reply.uniqueID)") }
            return reply.uniqueID
        } catch OperatorClient.ClientError.refused(let refusal) {
            Output.words("volley: number \(number) of \(count): \(refusal.message.printableLine)")
            for detail in refusal.details { Output.words("  " + detail.printableLine) }
            return nil
        }
    }

    /// - Returns: how many ended complete, and how many partial.
    private func finish(_ captures: [UniqueID]) async throws -> (whole: Int, partial: Int) {
        var tally = (whole: 0, partial: 0)
        for id in captures {
            let summary = try await CaptureWaiter(client: client).poll(id).summary
            if summary.state == .complete {
                tally.whole += 1
            } else {
                if summary.state == .partial { tally.partial += 1 }
                Output.words("Capture \(id) is \(Sentences.outcome(summary))")
            }
        }
        return tally
    }
}
