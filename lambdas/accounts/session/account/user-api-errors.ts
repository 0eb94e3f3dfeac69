/** Turns Cognito's errors into those of the dashboard's API. Their messages are not passed on, since they may quote input. */

import { SessionEndedError, UserDeletedError } from '#lambdas/accounts/sessions/ended-error.ts';
import { GatewayError, invalidRequest } from '#lambdas/platform/errors.ts';

/** `param` is the body field that the operation sends. Returns other errors, such as failures of Cognito, unchanged. */
export function toUserApiError(error: unknown, param: string | null): unknown {
  if (!(error instanceof Error)) return error;
  switch (error.name) {
    case 'UserNotFoundException':
      return new UserDeletedError();
    // The token was revoked, or the user was disabled or has to choose a new password.
    case 'NotAuthorizedException':
    case 'UserNotConfirmedException':
    case 'PasswordResetRequiredException':
      return new SessionEndedError();
    case 'CodeMismatchException':
    case 'EnableSoftwareTokenMFAException':
      return wrongCode();
    case 'ExpiredCodeException':
      return invalidRequest('code', 'The code has expired: request a new one');
    case 'SoftwareTokenMFANotFoundException':
      return invalidRequest('code', 'There is no secret for this code: set up the authenticator app again');
    case 'AliasExistsException':
      return invalidRequest('email', 'Another account has this address');
    case 'InvalidParameterException':
      return param === null ? error : invalidRequest(param, `${param} is not valid`);
    case 'ResourceNotFoundException':
      return new GatewayError('not_found', { message: 'There is no such passkey' });
    case 'LimitExceededException':
    case 'TooManyRequestsException':
      return new GatewayError('rate_limit_exceeded', { message: 'Too many attempts: try again later' });
    case 'CodeDeliveryFailureException':
      return new GatewayError('service_unavailable', {
        message: 'The code could not be sent: try again later',
      });
    default:
      return error;
  }
}

export function wrongCode(): GatewayError {
  return invalidRequest('code', 'The code is wrong: enter the current one');
}
