package import CaptureModel

/// coordinator -> operator: the labels.
package struct LabelsReply: WireMessage, Hashable {
    package static let type = "labelsReply"
    package var labels: [LabelSummary]

    package init(labels: [LabelSummary]) { self.labels = labels }
}
