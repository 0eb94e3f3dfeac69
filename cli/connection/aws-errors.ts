/** Errors of calls to AWS, by what the operator can do about them. */

import { AdminError } from '../errors.ts';
import type { AwsSettings } from './aws-settings.ts';

/** Services with the query protocol name it `AccessDenied`, the others `AccessDeniedException`. */
export function isAccessDenied(error: unknown): error is Error {
  return isNamed(error, /^AccessDenied(Exception)?$/);
}

function isNamed(error: unknown, name: RegExp): error is Error {
  return error instanceof Error && name.test(error.name);
}

/** Resolves to `null` if AWS responds, with an error of this name, that the resource does not exist. */
export async function nullIfMissing<Result>(
  call: Promise<Result>,
  errorName: RegExp,
): Promise<Result | null> {
  try {
    return await call;
  } catch (error) {
    if (isNamed(error, errorName)) return null;
    throw error;
  }
}

/** CloudFormation's error for a stack, or a resource, of which it knows nothing. */
export function isMissingStack(error: unknown): boolean {
  return isNamed(error, /^ValidationError$/) && /does not exist/.test(error.message);
}

/** True for errors of the service and of the network, not for programming errors. */
export function isCallError(error: unknown): error is Error {
  return error instanceof Error && '$metadata' in error;
}

interface Problem {
  /** Without secrets: no message of AWS that quotes the signed request. */
  message: string;
  /** The next step, as a sentence without its full stop. */
  action: string;
}

/** Returns `null` for an error that has another reason than missing, wrong or expired credentials. */
export function findCredentialProblem(
  error: unknown,
  { profile }: Pick<AwsSettings, 'profile'>,
): Problem | null {
  const signIn = `aws sso login${profile === undefined ? '' : ` --profile ${profile}`}`;
  if (isNamed(error, /^(CredentialsProviderError|TokenProviderError)$/)) {
    return {
      message:
        profile === undefined
          ? 'No valid AWS credentials were found'
          : `The AWS profile "${profile}" has no valid credentials`,
      action: `Sign in, for example with "${signIn}", or select another profile with --profile`,
    };
  }
  if (isNamed(error, /^(ExpiredToken(Exception)?|RequestExpired)$/)) {
    return {
      message: 'The AWS credentials have expired',
      action: `Sign in again, for example with "${signIn}"`,
    };
  }
  if (isNamed(error, /^(InvalidClientTokenId|UnrecognizedClientException|AuthFailure)$/)) {
    return {
      message: 'AWS does not accept the credentials in this region',
      action: 'Check the access key or the profile, and that the region is enabled for the account',
    };
  }
  if (isNamed(error, /^(SignatureDoesNotMatch|InvalidSignatureException)$/)) {
    return {
      message: 'AWS does not accept the signature of the request',
      action: "Check the secret access key and this machine's clock",
    };
  }
  return null;
}

/** Returns errors that have nothing to do with credentials unchanged. */
export function toAdminError(error: unknown, aws: Pick<AwsSettings, 'profile'>): unknown {
  const problem = findCredentialProblem(error, aws);
  return problem === null ? error : new AdminError(`${problem.message}. ${problem.action}`);
}
