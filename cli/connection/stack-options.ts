/** The options by which a command selects an account and a region, and a deployed stack in them. */
import type { Command } from 'commander';
import { z } from 'zod';
import { usageError } from '../errors.ts';

export function addAwsOptions(command: Command): Command {
  return command
    .option('--region <region>', 'AWS region (default: as for the AWS CLI and the CDK)')
    .option('--profile <name>', 'AWS profile with the credentials, and the region if nothing else names one');
}

export function addStackOptions(command: Command, description: string): Command {
  return addAwsOptions(command.option('--stack <name>', description));
}

const nonEmpty = z.string().min(1, 'must not be empty');

export const awsOptions = { region: nonEmpty.optional(), profile: nonEmpty.optional() };

export const stackOptions = { stack: nonEmpty.optional(), ...awsOptions };

export type StackOptions = z.output<z.ZodObject<typeof stackOptions>>;

/** Throws a usage error for a region or a profile without a stack, which would have no effect. */
export function requireStackFor({ stack, region, profile }: StackOptions): void {
  if (stack !== undefined) return;
  for (const [option, value] of Object.entries({ '--region': region, '--profile': profile })) {
    if (value !== undefined) throw usageError(`${option} requires --stack NAME`);
  }
}
