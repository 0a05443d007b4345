"""Holds a calibrated rig against the truth.

calibrated.py RIG TRUTH: ends with 1 unless all cameras are there, with centres within 0.3 % of the ring's radius and focal
lengths within 0.5 %.
"""

import json
import sys

import numpy

from judge import centre, similarity

rig, truth = [
    {camera["camera"]: camera for camera in json.load(open(path, encoding="utf-8"))["cameras"]} for path in sys.argv[1:]
]
names = sorted(truth)
true = numpy.array([centre(truth[name]) for name in names])
found = numpy.array([centre(rig[name]) for name in names])
radius = numpy.linalg.norm((true - true.mean(0))[:, [0, 2]], axis=1).mean()
off = numpy.linalg.norm(similarity(found, true) - true, axis=1).max() / radius
focal = max(abs(rig[name]["focalLengthPixels"][0] / truth[name]["focalLengthPixels"][0] - 1) for name in names)
print(f"{len(rig)} cameras; centres within {100 * off:.3f} % of the radius, focal lengths within {100 * focal:.3f} %")
sys.exit(0 if set(rig) == set(truth) and off <= 0.003 and focal <= 0.005 else 1)
