// The rows of a small vocabulary. No compiler sees this file.
#pragma once
#define WW_VIEW(...) static_assert(true)

WW_VIEW(Dim<D>, dim(D));
WW_VIEW(Shared<T, n>, shared(T, n));
WW_VIEW(In<T, D>, pointer(const T), len(D), in);
WW_VIEW(In<Col<K>, N>, pointer(const i32), len(N), in, validated(columns), carries(K, N), index(K: i32));
WW_VIEW(Rows<P, M, N>, pointer(const P), len(M + 1), in, validated(offsets), carries(M, N), index(N: P));
WW_VIEW(Matrix<T, R, C>, pointer(const T), len(R * C), in, stride(C));
WW_VIEW(Cube<T, A, R, C>, pointer(const T), len(A * R * C), in, stride(R, C), index(C: i32));
WW_VIEW(Cells<R, C>, cells(R: block.y, C: block.x), index(R: i32), index(C: i32));
WW_VIEW(Tiles<R, C, h, w>, cells(R: h, C: w));
WW_VIEW(SharedTile<T, h, w>, shared(T, h * w));
WW_VIEW(Edges<T, D>, pointer(const T), len(D + 1), in);
WW_VIEW(Out<T, D>, pointer(T), len(D), out);
WW_VIEW(Out<T, D, ByGroup<s>>, pointer(T), len(D), out);
WW_VIEW(Out<Run<T, V>, D>, pointer(T), len(D), align(V * sizeof(T)), out);
WW_VIEW(Unchecked, token);
WW_VIEW(InOut<T, D>, pointer(T), len(D), inout);
WW_VIEW(Add<T, D>, pointer(T), len(D), add);

WW_TAG(One);
WW_TAG(Each);
WW_VIEW(Weights<One, W, N>, pointer(const W), len(1), in);
WW_VIEW(Weights<Each, W, N>, pointer(const W), len(N), in);
WW_VIEW(Order<K, N>, pointer(const i32), len(N), in, validated(permutation), carries(K, N), index(K: i32));
WW_VIEW(Out<T, K, Through<N>>, pointer(T), len(K), out);
WW_VIEW(InOut<T, K, Through<N>>, pointer(T), len(K), inout);
