/** Tells a call of AWS that got no answer, or none but "not now", from one that was wrong. */

/** What the services call it, with the status 400 of a mistake. */
const throttling = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'ThrottlingException',
]);

/** `$metadata` is on each error that a call of the AWS SDK ends with, and on no other. */
export function isServiceAway(error: unknown): boolean {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { httpStatusCode } = error.$metadata as { httpStatusCode?: number };
  // Without a status there was no answer: no connection, or none in time. With one of success there was half of one.
  const isRefusal = httpStatusCode !== undefined && httpStatusCode >= 300 && httpStatusCode < 500;
  return !isRefusal || throttling.has(error.name);
}
