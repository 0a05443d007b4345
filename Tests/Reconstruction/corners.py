"""Counts the points of models in the dark and bright corners of a scene.

corners.py STEP... MERGED WHOLE: exports for COLMAP of one bracket, each step by itself in ascending exposure, merged, and
all steps together; ends with 1 unless the model of the whole bracket has more points where it is dark, and where it is
bright, than that of any step, and unless that of the merged pictures has more in both together. Dark and bright is what
has the least and the most light, a tenth of the pixels each.
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


def count(model, lights, dark, bright, cell=3):
    """The places whose light, by the median of the pixels that see them, is dark or bright.

    Points that one camera sees in the same few pixels are one place, so that what three exposures show counts once.
    """
    first, place, seen = {}, {}, {}

    def of(point):
        while place[point] != point:
            place[point] = place[place[point]]
            point = place[point]
        return point

    for number, point in model.points3D.items():
        place[number], seen[number] = number, []
        for element in point.track.elements:
            image = model.images[element.image_id]
            node = image.name.split("/")[0]
            x, y = image.points2D[element.point2D_idx].xy
            here = lights[node]
            seen[number].append(here[min(int(y), here.shape[0] - 1), min(int(x), here.shape[1] - 1)])
            other = first.setdefault((node, int(x / cell), int(y / cell)), number)
            place[of(number)] = of(other)
    together = {}
    for number in place:
        together.setdefault(of(number), []).extend(seen[number])
    medians = [numpy.median(light) for light in together.values()]
    return sum(light < dark for light in medians), sum(light > bright for light in medians)


def main(exports):
    nodes = sorted(os.listdir(os.path.join(exports[0], "images")))
    lights = {
        node: light([glob.glob(os.path.join(export, "images", node, "*.jpg"))[0] for export in exports[:-2]])
        for node in nodes
    }
    dark, bright = numpy.quantile(numpy.concatenate([light.ravel() for light in lights.values()]), [0.1, 0.9])
    counts = []
    for export in exports:
        found = reconstruct(export)[0]
        counts.append(count(found, lights, dark, bright))
        print(
            f"{os.path.basename(export)}: {found.num_reg_images()} photos, {found.num_points3D()} points; "
            f"{counts[-1][0]} places where it is dark and {counts[-1][1]} where it is bright",
            flush=True,
        )
    *steps, merged, whole = counts
    isMerged = sum(merged) > max(sum(step) for step in steps)
    return isMerged and all(whole[corner] > max(step[corner] for step in steps) for corner in (0, 1))


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
