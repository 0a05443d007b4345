"""Reconstructs an export for COLMAP with pycolmap, and holds cameras against the truth.

judge.py EXPORT TRUTH: ends with 1 unless all cameras are in one model, with centres within 0.3 % of the ring's radius and
focal lengths within 0.5 %, and unless COLMAP takes the rig's configuration.
"""

import json
import os
import sys
import tempfile

# pycolmap tells of each image otherwise.
os.environ.setdefault("GLOG_minloglevel", "2")

import numpy
import pycolmap


def centre(camera):
    """Where a camera of the truth stands."""
    w, x, y, z = camera["rotation"]
    rotation = numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    return -rotation.T @ numpy.array(camera["translation"])


def similarity(found, true):
    """The found points, turned, scaled and moved onto the true ones (Umeyama, 1991)."""
    a, b = found - found.mean(0), true - true.mean(0)
    u, singular, v = numpy.linalg.svd(b.T @ a)
    flip = numpy.diag([1, 1, numpy.sign(numpy.linalg.det(u @ v))])
    scale = numpy.trace(numpy.diag(singular) @ flip) / (a**2).sum()
    return scale * a @ (u @ flip @ v).T + true.mean(0)


def reconstruct(export):
    """The models that COLMAP makes of an export with its defaults."""
    images = os.path.join(export, "images")
    with tempfile.TemporaryDirectory() as work:
        database = os.path.join(work, "database.db")
        pycolmap.set_random_seed(0)
        pycolmap.extract_features(database, images, camera_mode=pycolmap.CameraMode.PER_FOLDER)
        pycolmap.match_exhaustive(database)
        models = pycolmap.incremental_mapping(database, images, work)
    return sorted(models.values(), key=lambda model: -model.num_reg_images())


def judge(export, truth):
    cameras = {camera["camera"]: camera for camera in truth["cameras"]}
    with open(os.path.join(export, "volley-export.json"), encoding="utf-8") as file:
        nodes = json.load(file)["nodes"]
    # The demo's nodes are numbered as its cameras are.
    serials = {node: f"SIM-{node.split('-')[1]}" for node in nodes}
    models = reconstruct(export)
    rigs = pycolmap.read_rig_config(os.path.join(export, "rig_config.json"))
    model = models[0]
    placed = [image for image in model.images.values() if image.has_pose]
    found = numpy.array([image.projection_center() for image in placed])
    true = numpy.array([centre(cameras[serials[image.name.split("/")[0]]]) for image in placed])
    radius = numpy.linalg.norm((true - true.mean(0))[:, [0, 2]], axis=1).mean()
    off = numpy.linalg.norm(similarity(found, true) - true, axis=1).max() / radius
    focal = max(
        abs(
            model.cameras[image.camera_id].focal_length
            / cameras[serials[image.name.split("/")[0]]]["focalLengthPixels"][0]
            - 1
        )
        for image in placed
    )
    print(
        f"{len(placed)} of {len(nodes)} cameras in one of {len(models)} models, {model.num_points3D()} points; centres "
        f"within {100 * off:.3f} % of the radius, focal lengths within {100 * focal:.3f} %"
    )
    isWhole = len(placed) == len(nodes) == len(cameras) and len(rigs[0].cameras) == len(nodes)
    return isWhole and off <= 0.003 and focal <= 0.005


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:
        sys.exit(0 if judge(sys.argv[1], json.load(file)) else 1)
