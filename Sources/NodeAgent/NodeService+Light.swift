import CaptureModel
import Posix

extension NodeService {
    /// Has the board's light blink for this long from now; a second order may prolong the first.
    func blink(for seconds: Int) {
        let until = now + .seconds(Int64(seconds))
        if let blinking {
            self.blinking?.until = max(blinking.until, until)
        } else if let light = BoardLight(named: lightName) {
            report("The light \(light.name) blinks for \(seconds) s, so that somebody finds this board.")
            blinking = (light, until, light.habit)
            light.forsake()
            Task { await self.blink(light) }
        }
    }

    private func blink(_ light: BoardLight) async {
        var isOn = false
        while let blinking, now < blinking.until {
            isOn.toggle()
            light.shine(isOn)
            try? await Task.sleep(for: .milliseconds(250))
        }
        endBlinking()
    }

    /// The light shines as it did before.
    func endBlinking() {
        if let blinking { blinking.light.resume(blinking.habit) }
        blinking = nil
    }
}
