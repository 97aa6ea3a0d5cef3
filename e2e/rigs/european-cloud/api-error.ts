/** An answer of the API other than success, in its own shape `{code, msg}`. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export const badRequest = (message: string): ApiError => new ApiError(400, message);
export const notFound = (what: string): ApiError => new ApiError(404, `${what} not found`);
export const conflict = (message: string): ApiError => new ApiError(409, message);
