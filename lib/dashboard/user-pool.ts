/** The people who sign in to the dashboard, and the pages on which they do. */

import { Aws, Duration, Fn, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  type CfnUserPool,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  PasskeyUserVerification,
  UserPool,
  type UserPoolDomain,
  UserPoolEmail,
} from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import { domainOf } from '#lambdas/accounts/email-address.ts';
import type { Settings } from '../settings/settings.ts';
import type { SignUpFunction } from './functions/sign-up.ts';

interface DashboardUserPoolProps {
  settings: Settings;
  signUp: SignUpFunction;
}

export class DashboardUserPool extends UserPool {
  /** Without a trailing slash. */
  readonly signInOrigin: string;

  constructor(scope: Construct, id: string, { settings, signUp }: DashboardUserPoolProps) {
    super(scope, id, {
      featurePlan: FeaturePlan.ESSENTIALS,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      standardAttributes: {
        email: { required: true, mutable: true },
        fullname: { required: false, mutable: true },
      },
      selfSignUpEnabled: true,
      autoVerify: { email: true },
      // A changed address takes effect only when it is verified.
      keepOriginal: { email: true },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(7),
      },
      signInPolicy: { allowedFirstAuthFactors: { password: true, passkey: true } },
      passkeyUserVerification: PasskeyUserVerification.REQUIRED,
      mfa: settings.requireMfa ? Mfa.REQUIRED : Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      email: sender(settings.mailFrom),
      // Sent for a new account, a changed address and a forgotten password.
      userVerification: {
        emailSubject: 'Your verification code',
        emailBody: 'Your verification code for the AI gateway is {####}.',
      },
      lambdaTriggers: { preSignUp: signUp, preAuthentication: signUp },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.countPasskeysAsMfa();
    this.signInOrigin = this.addSignInPages().baseUrl();
    this.acknowledgeFindings(settings);
  }

  /** `UserPool` has no property for it. A passkey with user verification is two factors: a device, and a PIN or a finger. */
  private countPasskeysAsMfa(): void {
    const pool = this.node.defaultChild as CfnUserPool;
    pool.webAuthnFactorConfiguration = 'MULTI_FACTOR_WITH_USER_VERIFICATION';
  }

  /** The domain is unique in the region, and passkeys belong to it. */
  private addSignInPages(): UserPoolDomain {
    // An ARN such as arn:aws:cloudformation:eu-central-1:123456789012:stack/AiGateway/51af3dc0-da77-11e4-872e-1234567db123
    const stackUuid = Fn.select(2, Fn.split('/', Aws.STACK_ID));
    return this.addDomain('Domain', {
      cognitoDomain: { domainPrefix: `ai-gateway-${Fn.select(0, Fn.split('-', stackUuid))}` },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
  }

  private acknowledgeFindings({ requireMfa }: Settings): void {
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-COG8',
      reason: 'The Plus plan costs $0.02 a month for each active user, without a free tier.',
    });
    if (requireMfa) return;
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-COG2',
      reason: 'The setting requireMfa makes MFA mandatory. By default, each person decides.',
    });
  }
}

/** Without an address of its own, Cognito sends from `no-reply@verificationemail.com`, about 50 e-mails a day. */
function sender(mailFrom: string | null): UserPoolEmail {
  if (mailFrom === null) return UserPoolEmail.withCognito();
  return UserPoolEmail.withSES({
    fromEmail: mailFrom,
    sesVerifiedDomain: domainOf(mailFrom),
    sesRegion: Aws.REGION,
  });
}
