/**
 * Region and profile of a command, found in the order of AWS's tools. Where they find no region, the CDK's order goes
 * on, so that a command reaches the stack that `cdk deploy` has deployed from the same shell:
 * https://github.com/aws/aws-cdk-cli/blob/main/packages/@aws-cdk/toolkit-lib/lib/api/aws-auth/awscli-compatible.ts
 */

import { NODE_REGION_CONFIG_OPTIONS, parseKnownFiles } from '@smithy/core/config';
import { AdminError } from '../errors.ts';

export interface AwsOptions {
  region?: string;
  profile?: string;
}

export interface AwsSettings {
  region: string;
  /** Where the region was found, for messages: such as `--region`, `AWS_DEFAULT_REGION`, or `profile "work"`; or that it is the CDK's default. */
  regionSource: string;
  /** `undefined` unless an option or a variable names one. */
  profile: string | undefined;
  /** For every client of the AWS SDK, which does not read all of the variables itself. */
  clientConfig: { region: string; profile?: string };
}

const defaultProfile = 'default';
const cdkDefault: Setting = { value: 'us-east-1', source: "the CDK's default" };

/** Variables that are empty count as unset. Throws an `AdminError` for a profile that does not exist. */
export async function readAwsSettings(
  options: AwsOptions,
  environment: NodeJS.ProcessEnv,
): Promise<AwsSettings> {
  const selected = firstSet({
    '--profile': options.profile,
    AWS_PROFILE: environment.AWS_PROFILE,
    AWS_DEFAULT_PROFILE: environment.AWS_DEFAULT_PROFILE,
  });
  const profiles = await readProfiles(environment);
  if (selected !== undefined) requireProfile(selected, profiles);
  const profile = selected?.value;
  const { value: region, source: regionSource } =
    firstSet({
      '--region': options.region,
      AWS_REGION: environment.AWS_REGION,
      AWS_DEFAULT_REGION: environment.AWS_DEFAULT_REGION,
      ...(profile !== undefined && { [`profile "${profile}"`]: profiles[profile]?.region }),
      [`profile "${defaultProfile}"`]: profiles[defaultProfile]?.region,
    }) ??
    (await readInstanceRegion()) ??
    cdkDefault;
  return {
    region,
    regionSource,
    profile,
    clientConfig: { region, ...(profile !== undefined && { profile }) },
  };
}

interface Setting {
  value: string;
  source: string;
}

function firstSet(values: Readonly<Record<string, string | undefined>>): Setting | undefined {
  for (const [source, value] of Object.entries(values)) if (value) return { value, source };
  return undefined;
}

type Profiles = Awaited<ReturnType<typeof parseKnownFiles>>;

/** Both files: the credentials file takes precedence, and files that do not exist are empty. */
function readProfiles(environment: NodeJS.ProcessEnv): Promise<Profiles> {
  return parseKnownFiles({
    filepath: environment.AWS_SHARED_CREDENTIALS_FILE || undefined,
    configFilepath: environment.AWS_CONFIG_FILE || undefined,
    ignoreCache: true,
  });
}

function requireProfile({ value: profile, source }: Setting, profiles: Profiles): void {
  if (Object.hasOwn(profiles, profile)) return;
  throw new AdminError(
    `The AWS profile "${profile}" (${source}) was not found: "aws configure list-profiles" lists those that exist`,
  );
}

/** On an EC2 instance, its region. Elsewhere the request fails, within a second. */
async function readInstanceRegion(): Promise<Setting | undefined> {
  const { default: readRegion } = NODE_REGION_CONFIG_OPTIONS;
  try {
    const value = typeof readRegion === 'function' ? await readRegion() : readRegion;
    return firstSet({ 'the EC2 instance': value });
  } catch {
    return undefined;
  }
}
