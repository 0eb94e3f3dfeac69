/** A reason for which the local run cannot start or go on: its message is one line that says what to do. */
export class LocalGatewayError extends Error {
  override name = 'LocalGatewayError';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
