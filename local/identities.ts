/** Who calls AWS locally: each function under an access key of its own, and the administrator who may do anything. */

/** The access key id (any secret goes with it) of the administrator: the admin command line, the local run itself. */
export const administratorAccessKeyId = 'local-admin';

/** Signatures are not checked locally: the access key id alone says who calls. */
export const localSecretAccessKey = 'local';

export const localAccountId = '000000000000';

export function functionAccessKeyId(logicalId: string): string {
  return `local-function-${logicalId}`;
}

/** The access key id of a request signed with AWS Signature Version 4, `undefined` when it is not signed. */
export function readAccessKeyId(authorization: string | undefined): string | undefined {
  return authorization?.match(/^AWS4-HMAC-SHA256 .*?Credential=([^/,\s]+)\//)?.[1];
}

/** The same header under another access key id: engines keep data apart by it, or want it to be alphanumeric. */
export function replaceAccessKeyId(authorization: string, accessKeyId: string): string {
  return authorization.replace(/Credential=[^/]+\//, `Credential=${accessKeyId}/`);
}
