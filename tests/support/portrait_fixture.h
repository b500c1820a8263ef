// Photos of the set-up media folder with landmarks and person masks that were measured beforehand,
// so that tests of the portrait engine need no network.
#pragma once

#include <string>
#include <vector>

#include "core/portrait/face_observation.h"

namespace loquor::test {

struct PortraitFixture
{
    Image photo;                   // RGB
    portrait::Landmarks landmarks; // on the photo
    Image mask;                    // person mask of the photo, 1 channel, smaller
};

// "astronaut", "hopper", "man_smile", "man_suit", "man_closed". Throws std::runtime_error with the
// file that is missing.
const std::vector<std::string>& portraitFixtureNames();
PortraitFixture loadPortraitFixture(const std::string& name);

// What the reference stage would hand to the builder for this canvas.
portrait::FaceObservation observe(const PortraitFixture& fixture, int width, int height);

} // namespace loquor::test
