// The device vocabulary, whole. See README.md beside this file for the order in which to read it.
#pragma once

#include "ww/collective.h"
#include "ww/dtype.h"
#include "ww/extent.h"
#include "ww/gather.h"
#include "ww/matrix.h"
#include "ww/pipeline.h"
#include "ww/platform.h"
#include "ww/range.h"
#include "ww/run.h"
#include "ww/shared.h"
#include "ww/stage.h"
#include "ww/tile.h"
#include "ww/token.h"
#include "ww/view.h"
