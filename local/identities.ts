/** Access keys of the local AWS endpoint: one for each function, and one for the administrator. */

/** Has all permissions. Used by the admin command line and the local run itself, with any secret access key. */
export const administratorAccessKeyId = 'local-admin';

export const localAccountId = '000000000000';

/** The ARN of the administrator, as in the audit trail. */
export const administratorArn = `arn:aws:iam::${localAccountId}:user/${administratorAccessKeyId}`;

/** Signatures are not verified locally: the access key id alone identifies the caller. */
export const localSecretAccessKey = 'local';

export function functionAccessKeyId(logicalId: string): string {
  return `local-function-${logicalId}`;
}

/** Supports AWS Signature Version 4. Returns `undefined` for an unsigned request. */
export function readAccessKeyId(authorization: string | undefined): string | undefined {
  return authorization?.match(/^AWS4-HMAC-SHA256 .*?Credential=([^/,\s]+)\//)?.[1];
}

/** Replaces the access key id: some engines separate data by it or require it to be alphanumeric. */
export function replaceAccessKeyId(authorization: string, accessKeyId: string): string {
  return authorization.replace(/Credential=[^/]+\//, `Credential=${accessKeyId}/`);
}
