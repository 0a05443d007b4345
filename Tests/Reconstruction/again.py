"""Reconstructs an export of a calibrated rig with its poses, and without them.

again.py EXPORT: ends with 1 unless the poses are kept as they are, and mapping takes less time with them.
"""

import json
import os
import sys
import tempfile
import time

os.environ.setdefault("GLOG_minloglevel", "2")

import pycolmap


def reconstruct(export, isPosed):
    """How long mapping takes, with the model."""
    images = os.path.join(export, "images")
    with tempfile.TemporaryDirectory() as work:
        database = os.path.join(work, "database.db")
        options = pycolmap.IncrementalPipelineOptions()
        pycolmap.set_random_seed(0)
        pycolmap.extract_features(database, images, camera_mode=pycolmap.CameraMode.PER_FOLDER)
        if isPosed:
            rigs = pycolmap.read_rig_config(os.path.join(export, "rig_config.json"))
            with pycolmap.Database.open(database) as opened:
                pycolmap.apply_rig_config(rigs, opened)
            options.ba_refine_sensor_from_rig = False
        pycolmap.match_exhaustive(database)
        began = time.monotonic()
        models = pycolmap.incremental_mapping(database, images, work, options=options)
        seconds = time.monotonic() - began
    model = max(models.values(), key=lambda model: model.num_reg_images())
    print(
        f"{'with' if isPosed else 'without'} poses: {model.num_reg_images()} photos in {model.num_reg_frames()} frames, "
        f"{model.num_points3D()} points, within {model.compute_mean_reprojection_error():.3f} pixels; mapped in {seconds:.1f} s"
    )
    return seconds, model


seconds, model = reconstruct(sys.argv[1], True)
without, other = reconstruct(sys.argv[1], False)


def differs(model, export):
    """How far the model's rig is from the one that it was given."""
    with open(os.path.join(export, "rig_config.json"), encoding="utf-8") as file:
        cameras = {camera["image_prefix"]: camera for camera in json.load(file)[0]["cameras"]}
    most = 0.0
    for image in model.images.values():
        wanted = cameras[image.name.split("/")[0] + "/"].get("cam_from_rig_translation", [0, 0, 0])
        pose = image.cam_from_world() * model.frames[image.frame_id].rig_from_world.inverse()
        most = max(most, float(abs(pose.translation - wanted).max()))
    return most


isKept = model.num_reg_frames() == 1 and model.num_reg_images() == other.num_reg_images()
isKept = isKept and differs(model, sys.argv[1]) < 1e-6
sys.exit(0 if isKept and seconds < without else 1)
