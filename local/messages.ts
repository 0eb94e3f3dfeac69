/** The messages of the local run's commands. Results are on standard output. */
import { inspect, styleText } from 'node:util';
import { escapeControls, standardErrors } from '#lib/terminal-output.mjs';
import { LocalGatewayError } from './local-gateway-error.ts';

export function printStep(step: string): void {
  const text = styleText('dim', `${escapeControls(step)} …`, { stream: process.stderr });
  standardErrors.write({ escaped: `${text}\n` });
}

/** With a stack trace unless the failure was expected. */
export function printFailure(error: unknown): void {
  standardErrors.write(`${error instanceof LocalGatewayError ? error.message : inspect(error)}\n`);
}
