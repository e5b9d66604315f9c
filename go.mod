module github.com/warpwright/warpwright

go 1.24
