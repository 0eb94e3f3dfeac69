/** The options with which the commands of a deployment select an account and a region, as `cdk deploy` does. */

import type { Command } from 'commander';
import { z } from 'zod';
import type { AwsSettings } from '#cli/connection/aws-settings.ts';

const nonEmpty = z.string().min(1, 'must not be empty');

export const awsOptions = { region: nonEmpty.optional(), profile: nonEmpty.optional() };

export function addAwsOptions(program: Command): Command {
  return program
    .option('--region <region>', 'AWS region (default: as for "cdk deploy")')
    .option('--profile <profile>', 'profile of the AWS CLI (default: AWS_PROFILE)');
}

/** The command line that lists the leftovers of a stack in the same account and region, from any shell. */
export function leftoversCommand(stackName: string, { region, profile }: AwsSettings): string {
  const command = `npm run leftovers -- --stack ${stackName} --region ${region}`;
  return profile === undefined ? command : `${command} --profile ${profile}`;
}
