package mtx_test

import (
	"fmt"
	"strings"

	"github.com/warpwright/warpwright/go/mtx"
)

// A symmetric file stores one triangle; General has both.
func ExampleRead() {
	file := `%%MatrixMarket matrix coordinate real symmetric
% two springs
3 3 2
2 1 -1.5
3 3 4
`
	m, err := mtx.Read(strings.NewReader(file))
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.General()
	fmt.Printf("%d x %d, %d stored, %d in all\n", m.Rows, m.Cols, m.NNZ(), g.NNZ())
	for i := range g.Row {
		fmt.Println(g.Row[i], g.Col[i], g.Value[i])
	}

	_, err = mtx.Read(strings.NewReader(strings.Replace(file, "3 3 4", "3 4 4", 1)))
	fmt.Println(err)
	// Output:
	// 3 x 3, 2 stored, 3 in all
	// 1 0 -1.5
	// 0 1 -1.5
	// 2 2 4
	// mtx: line 5: column 4 is not within 1 to 3: "3 4 4"
}
