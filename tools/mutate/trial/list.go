package trial

import (
	"slices"
	"strconv"

	"github.com/warpwright/warpwright/go/dtype"
)

// All are the trials: together they use every class of the vocabulary. The slow ones are last.
func All() []*Trial {
	return slices.Concat(csrTrials(), vectorTrials(), reachTrials(), matrixTrials(), gemmTrials())
}

// Of are those of a source.
func Of(source string) []*Trial {
	return slices.DeleteFunc(All(), func(t *Trial) bool { return t.Source != source })
}

// elem is an element type that a trial names.
func elem(name string) dtype.Type {
	t, err := dtype.Parse(name)
	if err != nil {
		panic(err)
	}
	return t
}

// whole is a whole number that a trial names.
func whole(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}
