/** The session's record exists, but its tokens cannot be used any more: the record is to be deleted. */
export class SessionEndedError extends Error {
  constructor() {
    super('The session has ended');
    this.name = 'SessionEndedError';
  }
}

/** The user of the session has been deleted. */
export class UserDeletedError extends SessionEndedError {
  constructor() {
    super();
    this.name = 'UserDeletedError';
  }
}
