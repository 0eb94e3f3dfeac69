/** Errors as the Gemini API answers them: a `google.rpc.Status` in JSON. The texts are from recorded refusals where there are any. */

import type { Answer } from '../upstream-answers.ts';
import type { FieldViolation } from './google-message-parser.ts';
import { googleReply } from './google-replies.ts';

interface GoogleStatus {
  code: number;
  message: string;
  status: string;
  details?: unknown[];
}

export function googleError(error: GoogleStatus): Answer {
  return googleReply({ status: error.code, body: { error } });
}

export function invalidArgument(message: string, details?: unknown[]): Answer {
  return googleError({ code: 400, message, status: 'INVALID_ARGUMENT', ...(details && { details }) });
}

/** The body is no message: each violation is told. */
export function badRequest(violations: readonly FieldViolation[]): Answer {
  const fieldViolations = violations.map(({ field, description }) => ({
    ...(field !== '' && { field }),
    description,
  }));
  return invalidArgument(violations.map(({ description }) => description).join('\n'), [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations },
  ]);
}

export function notJson(): Answer {
  return badRequest([{ field: '', description: 'Invalid JSON payload received. Unexpected token.' }]);
}

export function wrongKey(): Answer {
  const message = 'API key not valid. Please pass a valid API key.';
  return invalidArgument(message, [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'API_KEY_INVALID',
      domain: 'googleapis.com',
      metadata: { service: 'generativelanguage.googleapis.com' },
    },
    { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message },
  ]);
}

export function noKey(): Answer {
  return googleError({
    code: 403,
    message:
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    status: 'PERMISSION_DENIED',
  });
}

/** A key in `Authorization` is taken for an OAuth token. */
export function notAToken(): Answer {
  return googleError({
    code: 401,
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    status: 'UNAUTHENTICATED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
    ],
  });
}

export function unknownModel(model: string, method: string): Answer {
  return googleError({
    code: 404,
    message: `models/${model} is not found for API version v1beta, or is not supported for ${method}. Call ModelService.ListModels to see the list of available models and their supported methods.`,
    status: 'NOT_FOUND',
  });
}
