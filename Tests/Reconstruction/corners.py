"""Counts the points of models in the dark and bright corners of a scene.

corners.py STEP... MERGED: exports for COLMAP of one bracket, each step by itself in ascending exposure, and merged; ends
with 1 unless the model of the merged pictures has more points there than that of any step. Dark and bright is what has
the least and the most light, a tenth of the pixels each.
"""

import glob
import os
import sys

import numpy
from judge import reconstruct
from PIL import Image


def linear(code):
    """The light of sRGB's codes (IEC 61966-2-1)."""
    share = code / 255
    return numpy.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def exposure(path):
    """Seconds, times the sensitivity."""
    tags = Image.open(path).getexif().get_ifd(0x8769)
    return float(tags[0x829A]) * tags.get(0x8827, 100)


def light(photos):
    """The scene's light at each pixel, by the longest exposure in which it is not white."""
    found = None
    for path in photos:
        code = numpy.array(Image.open(path).convert("L"), dtype=float)
        here = linear(code) / exposure(path)
        found = here if found is None else numpy.where(code < 240, here, found)
    return found


def count(model, lights, dark, bright):
    """The points whose light, by the median of the pixels that see them, is dark or bright."""
    counts = [0, 0]
    for point in model.points3D.values():
        seen = []
        for element in point.track.elements:
            image = model.images[element.image_id]
            here = lights[image.name.split("/")[0]]
            x, y = image.points2D[element.point2D_idx].xy
            seen.append(here[min(int(y), here.shape[0] - 1), min(int(x), here.shape[1] - 1)])
        counts[0] += numpy.median(seen) < dark
        counts[1] += numpy.median(seen) > bright
    return counts


def main(exports):
    nodes = sorted(os.listdir(os.path.join(exports[0], "images")))
    lights = {
        node: light([glob.glob(os.path.join(export, "images", node, "*.jpg"))[0] for export in exports[:-1]])
        for node in nodes
    }
    dark, bright = numpy.quantile(numpy.concatenate([light.ravel() for light in lights.values()]), [0.1, 0.9])
    sums = []
    for export in exports:
        found = reconstruct(export)[0]
        counts = count(found, lights, dark, bright)
        sums.append(sum(counts))
        print(
            f"{os.path.basename(export)}: {found.num_reg_images()} photos, {found.num_points3D()} points; "
            f"{counts[0]} where it is dark and {counts[1]} where it is bright",
            flush=True,
        )
    return sums[-1] > max(sums[:-1])


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
