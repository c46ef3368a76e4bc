/** 19 decimal digits; a larger id is a newer post. Never convert it to a number: it does not fit. */
export type PostId = string

/** The app's own name of a user: 1-64 of `A-Z a-z 0-9 _ . : -`, but neither `.` nor `..`. */
export type UserId = string
