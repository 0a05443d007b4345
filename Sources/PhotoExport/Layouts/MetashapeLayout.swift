import CaptureModel

/// `<capture>_<step>/<node>_<capture>_<step>.jpg`, and a script that adds them.
///
/// Agisoft, *Metashape Python Reference*: `Chunk.addPhotos` with `MultiplaneLayout` takes as many photos a group as
/// `filegroups` says, and the first of each is the rig's main camera. Names are unique, as cameras are told by them.
enum MetashapeLayout {
    static func path(_ photo: ExportPhoto) -> String {
        "images/\(photo.shot.name)/\(photo.node)_\(photo.shot.name).\(photo.fileExtension)"
    }

    static let script = """
        # Adds the photos of this folder to the active chunk of Metashape, grouped by instant:
        # Tools > Run Script..., or metashape.sh -r metashape_import.py
        import json
        import os

        import Metashape

        folder = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(folder, "\(ExportManifest.name)"), encoding="utf-8") as file:
            manifest = json.load(file)
        place = {node: index for index, node in enumerate(manifest["nodes"])}
        instants = {}
        for photo in manifest["files"]:
            instants.setdefault((photo["uniqueID"], photo["step"]), []).append(photo)
        # A group needs a photo of every camera; what is lacking in one is added by itself.
        whole = [instants[key] for key in sorted(instants) if len(instants[key]) == len(place)]
        single = [photo for key in sorted(instants) if len(instants[key]) < len(place) for photo in instants[key]]
        chunk = Metashape.app.document.chunk or Metashape.app.document.addChunk()
        if whole and len(place) > 1:
            names = [
                os.path.join(folder, photo["path"])
                for group in whole
                for photo in sorted(group, key=lambda photo: place[photo["node"]])
            ]
            chunk.addPhotos(names, filegroups=[len(place)] * len(whole), layout=Metashape.MultiplaneLayout)
        else:
            single = [photo for group in whole for photo in group] + single
        if single:
            chunk.addPhotos([os.path.join(folder, photo["path"]) for photo in single])
        print(f"{len(whole)} instants of {len(place)} cameras added, and {len(single)} single photos.")

        """
}
