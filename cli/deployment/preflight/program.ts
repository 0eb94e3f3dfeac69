/** `npm run preflight`: checks an account and a region before `cdk deploy`. */

import type { Command } from 'commander';
import { z } from 'zod';
import { readAwsSettings } from '#cli/connection/aws-settings.ts';
import { addAwsOptions, awsOptions } from '#cli/connection/stack-options.ts';
import { AdminError } from '#cli/errors.ts';
import { readOptions } from '#cli/options.ts';
import { createProgram, runProgram } from '#cli/run-program.ts';
import { processTerminal, type Terminal } from '#cli/terminal.ts';
import type { CheckStatus } from './check.ts';
import { type CheckResult, runChecks } from './run-checks.ts';
import { readDeploymentSettings } from './settings.ts';

const help = `
Changes nothing. The checks have the results ok, warn, FAIL and unknown: what AWS does not tell, or not to you.

Examples:
  npm run preflight
  npm run preflight -- --region eu-west-1 --profile work -c config=staging.config.ts

Exit codes: 0 no check failed, 1 a check failed, 2 invalid command line.`;

const preflightOptions = z.object({
  context: z.array(z.string()).default([]),
  config: z.string().optional(),
  json: z.boolean().default(false),
  ...awsOptions,
});

/** Resolves to the exit code, after everything has been printed. */
export function runPreflight(commandLine: readonly string[], terminal = processTerminal): Promise<number> {
  const program = createProgram('npm run preflight --', terminal).description(
    'Check an AWS account and region before a deployment.',
  );
  addAwsOptions(program)
    .option('-c, --context <name=value>', 'as for "cdk deploy"', (value, earlier: string[] = []) => [
      ...earlier,
      value,
    ])
    .option('--config <file>', 'settings file, as -c config=FILE')
    .option('--json', 'print JSON only')
    .addHelpText('after', help)
    .action((_options: object, command: Command) => preflight(command, terminal));
  return runProgram(program, commandLine, terminal);
}

async function preflight(command: Command, terminal: Terminal): Promise<void> {
  const { context, config, json, ...options } = readOptions(command, preflightOptions);
  const settings = await readDeploymentSettings({ context, config }, terminal);
  const aws = await readAwsSettings(options, terminal.environment);
  const results = await runChecks(settings, aws);

  const failed = results.filter(({ status }) => status === 'fail').length;
  terminal.output.write(
    json
      ? `${JSON.stringify({ ok: failed === 0, checks: results.map(resultJson) }, null, 2)}\n`
      : results.map(resultText).join(''),
  );
  if (failed > 0) throw new AdminError(`${failed} of ${results.length} checks failed`);
  if (!json) terminal.output.write(`${summary(results)}\n`);
}

const labelWidth = 9;
const nameWidth = 18;

/** One line, and one for what to do. */
function resultText({ name, status, message, action }: CheckResult): string {
  const label = status === 'fail' ? 'FAIL' : status;
  const line = `${label.padEnd(labelWidth)}${name.padEnd(nameWidth)}${message}\n`;
  return action === undefined ? line : `${line}${' '.repeat(labelWidth + nameWidth)}${action}\n`;
}

function summary(results: readonly CheckResult[]): string {
  const count = (status: CheckStatus) => results.filter((result) => result.status === status).length;
  return `No check failed: ${count('ok')} ok, ${count('warn')} warn, ${count('unknown')} unknown`;
}

function resultJson({ name, status, message, action }: CheckResult) {
  return { check: name.replaceAll(' ', '_'), status, message, action: action ?? null };
}
