import type { AwsSettings } from '#cli/connection/aws-settings.ts';

/** The command line that lists the leftovers of a stack in the same account and region, from any shell. */
export function leftoversCommand(stackName: string, { region, profile }: AwsSettings): string {
  const command = `npm run leftovers -- --stack ${stackName} --region ${region}`;
  return profile === undefined ? command : `${command} --profile ${profile}`;
}
