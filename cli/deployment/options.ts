/** The options with which the commands of a deployment select an account and a region, as `cdk deploy` does. */

import type { Command } from 'commander';
import { z } from 'zod';

const nonEmpty = z.string().min(1, 'must not be empty');

export const awsOptions = { region: nonEmpty.optional(), profile: nonEmpty.optional() };

export function addAwsOptions(program: Command): Command {
  return program
    .option('--region <region>', 'AWS region (default: as for "cdk deploy")')
    .option('--profile <profile>', 'profile of the AWS CLI (default: AWS_PROFILE)');
}
