import Glibc

/// A symmetric positive definite matrix, factored for solving systems of equations.
struct Cholesky {
    private let size: Int
    /// Row by row; its lower half is the factor.
    private var factor: [Double]

    /// - Parameter matrix: row by row; its lower half counts.
    init(_ matrix: [Double], size: Int) {
        self.size = size
        factor = matrix
        factor.withUnsafeMutableBufferPointer { matrix in
            for column in 0..<size {
                for row in column..<size {
                    var sum = matrix[row * size + column]
                    for index in 0..<column { sum -= matrix[row * size + index] * matrix[column * size + index] }
                    // A row about which nothing is known stays out of the others.
                    matrix[row * size + column] =
                        row == column ? max(sum, 1e-9).squareRoot() : sum / matrix[column * size + column]
                }
            }
        }
    }

    func solve(_ right: [Double]) -> [Double] {
        var result = right
        factor.withUnsafeBufferPointer { factor in
            for row in 0..<size {
                for index in 0..<row { result[row] -= factor[row * size + index] * result[index] }
                result[row] /= factor[row * size + row]
            }
            for row in (0..<size).reversed() {
                for index in row + 1..<size { result[row] -= factor[index * size + row] * result[index] }
                result[row] /= factor[row * size + row]
            }
        }
        return result
    }

    /// The inverse of the matrix, by columns.
    var inverse: [[Double]] {
        (0..<size).map { column in
            var unit = [Double](repeating: 0, count: size)
            unit[column] = 1
            return solve(unit)
        }
    }
}
