import Glibc

/// Solves symmetric positive definite systems of equations.
enum Cholesky {
    /// - Parameter matrix: row by row; its lower half becomes the factor.
    static func solve(_ matrix: inout [Double], _ right: [Double]) -> [Double] {
        let size = right.count
        var result = right
        matrix.withUnsafeMutableBufferPointer { matrix in
            for column in 0..<size {
                for row in column..<size {
                    var sum = matrix[row * size + column]
                    for index in 0..<column { sum -= matrix[row * size + index] * matrix[column * size + index] }
                    // A row that nothing is known of keeps out of the others.
                    matrix[row * size + column] =
                        row == column ? max(sum, 1e-9).squareRoot() : sum / matrix[column * size + column]
                }
            }
            for row in 0..<size {
                for index in 0..<row { result[row] -= matrix[row * size + index] * result[index] }
                result[row] /= matrix[row * size + row]
            }
            for row in (0..<size).reversed() {
                for index in row + 1..<size { result[row] -= matrix[index * size + row] * result[index] }
                result[row] /= matrix[row * size + row]
            }
        }
        return result
    }
}
