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
        import collections
        import json
        import os

        import Metashape

        folder = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(folder, "\(ExportManifest.name)"), encoding="utf-8") as file:
            manifest = json.load(file)
        chunk = Metashape.app.document.chunk or Metashape.app.document.addChunk()
        there = {os.path.realpath(camera.photo.path) for camera in chunk.cameras if camera.photo}
        instants = {}
        for photo in manifest["files"]:
            path = os.path.join(folder, photo["path"])
            if os.path.realpath(path) not in there:
                instants.setdefault((photo["uniqueID"], photo["step"]), {})[photo["node"]] = path
        # A group needs a photo of each camera; those of instants that lack one are added by themselves.
        sets = collections.Counter(frozenset(photos) for photos in instants.values())
        rig = max(sets, key=lambda nodes: (sets[nodes], len(nodes)), default=frozenset())
        order = [node for node in manifest["nodes"] if node in rig]
        whole = [photos for _, photos in sorted(instants.items()) if len(order) > 1 and set(photos) == rig]
        single = [path for _, photos in sorted(instants.items()) if photos not in whole for path in photos.values()]
        if whole:
            names = [photos[node] for photos in whole for node in order]
            chunk.addPhotos(names, filegroups=[len(order)] * len(whole), layout=Metashape.MultiplaneLayout)
        if single:
            chunk.addPhotos(single)
        print(f"{len(whole)} instants of {len(order)} cameras added, and {len(single)} single photos.")

        """
}
