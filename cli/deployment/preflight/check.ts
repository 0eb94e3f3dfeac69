/** A check before a deployment. It reads, and changes nothing. */

import type { AwsSettings } from '#cli/connection/aws-settings.ts';
import type { Settings } from '#lib/settings/settings.ts';
import type { StackResource, StackState } from '../stacks.ts';

/** `unknown`: it cannot be determined, or the caller may not ask. */
export type CheckStatus = 'ok' | 'fail' | 'warn' | 'unknown' | 'skipped';

export interface Finding {
  status: CheckStatus;
  /** A sentence without its full stop. */
  message: string;
  /** The next step; missing if there is nothing to do. */
  action?: string;
}

export interface Check {
  name: string;
  /** The IAM actions of its calls. */
  permissions: readonly string[];
  /** Default: the check applies to all settings. */
  applies?(settings: Settings): boolean;
  /** Throws errors of AWS. */
  run(deployment: Deployment): Promise<Finding>;
}

/** The deployment that is checked, and the stack that it would create or update. */
export interface Deployment {
  settings: Settings;
  aws: AwsSettings;
  accountId: string;
  bootstrapQualifier: string;
  /** The stack of the setting `stackName`; `null` if there is none. */
  findStack(): Promise<StackState | null>;
  /** Empty if there is no stack. */
  listStackResources(): Promise<StackResource[]>;
}
