import CaptureModel
import Programs

/// A photo, large, alone or beside another one of its capture.
struct PhotoView {
    struct Pane {
        /// Where the file is, and a picture of it that browsers read.
        let address, picture: String
        let name, words, finding: String
        let ratings: [CaptureView.Rating]
        let isRejected: Bool
        /// Nil where nobody wrote one.
        let note: String?
    }

    struct Choice {
        let value, words: String
        let isChosen: Bool
    }

    let title: String
    let isInside = true
    /// The number of the last news that the page already shows.
    let news: Int64?
    let capture: String
    let panes: [Pane]
    let isPair: Bool
    /// The photos before and after it, in the order of the capture's page.
    let former, next: String?
    /// What it can be looked at beside.
    let others: [Choice]
    /// `NODE/COUNT` of the first, and of the one beside it.
    let view: String
    let beside: String?

    /// - Parameters:
    ///   - id: the photo.
    ///   - other: the one beside it.
    ///   - news: after which number news is news.
    /// - Returns: nil where one of them is not in the library.
    init?(_ capture: CaptureDetail, _ id: PhotoID, beside other: PhotoID?, news: Int64?) {
        let photos = capture.photosInOrder.filter { $0.path != nil }
        func index(_ id: PhotoID) -> Int? {
            photos.firstIndex { $0.node == id.node && $0.record.photoCount == id.photoCount }
        }
        guard let own = index(id) else { return nil }
        var shown = [photos[own]]
        if let other {
            guard let second = index(other) else { return nil }
            shown.append(photos[second])
        }
        self.news = news
        self.capture = "\(id.uniqueID)"
        title = Self.name(photos[own])
        panes = shown.map { Pane($0, of: id.uniqueID) }
        isPair = other != nil
        view = "\(id.node)/\(id.photoCount)"
        beside = other.map { "\($0.node)/\($0.photoCount)" }
        func neighbour(_ index: Int) -> String? {
            photos.indices.contains(index) ? photos[index].address(of: id.uniqueID) + "/view" : nil
        }
        (former, next) = (neighbour(own - 1), neighbour(own + 1))
        others = photos.indices.filter { $0 != own }.map { index in
            let photo = photos[index]
            return Choice(
                value: "\(photo.node)/\(photo.record.photoCount)", words: Self.name(photo),
                isChosen: photo.node == other?.node && photo.record.photoCount == other?.photoCount)
        }
    }

    private static func name(_ photo: StoredPhoto) -> String {
        "\(photo.node), step \(max(1, photo.record.sequenceCount)), \(photo.record.format.rawValue)"
    }
}

extension CaptureDetail {
    /// By the names of their nodes, and as those took them.
    var photosInOrder: [StoredPhoto] {
        photos.sorted { one, other in
            one.node == other.node
                ? one.record.photoCount < other.record.photoCount : one.node.precedes(other.node)
        }
    }
}

extension PhotoView.Pane {
    fileprivate init(_ photo: StoredPhoto, of id: UniqueID) {
        let record = photo.record
        address = photo.address(of: id)
        picture = record.format == .jpeg ? address : address + "/picture"
        name = "\(photo.node), step \(max(1, record.sequenceCount))"
        words = Sentences.exposure(of: record)
        ratings = CaptureView.ratings(photo.rating)
        isRejected = photo.isRejected == true
        note = photo.note.flatMap { $0.isEmpty ? nil : $0.printableLine }
        finding = (record.error?.message ?? record.verification?.name ?? "").printableLine
    }
}

extension StoredPhoto {
    /// Where the console has its file.
    ///
    /// - Parameter id: the capture's.
    func address(of id: UniqueID) -> String {
        PhotoID(uniqueID: id, node: node, photoCount: record.photoCount).address
    }
}

extension PhotoID {
    /// Where the console has its file.
    var address: String { "/captures/\(uniqueID)/photos/\(node)/\(photoCount)" }
}
