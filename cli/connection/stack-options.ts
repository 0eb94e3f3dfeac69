/** The options by which a command selects a deployed stack. */
import type { Command } from 'commander';
import { z } from 'zod';
import { usageError } from '../errors.ts';

export function addStackOptions(command: Command, description: string): Command {
  return command
    .option('--stack <name>', description)
    .option('--region <region>', "the stack's region (default: as for the AWS CLI and the CDK)")
    .option('--profile <name>', 'AWS profile with the credentials, and the region if nothing else names one');
}

export const stackOptions = {
  stack: z.string().optional(),
  region: z.string().optional(),
  profile: z.string().optional(),
};

export type StackOptions = z.output<z.ZodObject<typeof stackOptions>>;

/** Throws a usage error for a region or a profile without a stack, which would have no effect. */
export function requireStackFor({ stack, region, profile }: StackOptions): void {
  if (stack !== undefined) return;
  for (const [option, value] of Object.entries({ '--region': region, '--profile': profile })) {
    if (value !== undefined) throw usageError(`${option} requires --stack NAME`);
  }
}
