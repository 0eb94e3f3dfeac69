/** An expected failure of the local run. Its message is one line that says what to do; no stack trace is printed. */
export class LocalGatewayError extends Error {
  override name = 'LocalGatewayError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
