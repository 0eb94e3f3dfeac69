/** Functions that the user pool invokes. https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-working-with-lambda-triggers.html */
import { messageOf } from '../local-gateway-error.ts';
import { CognitoError } from './cognito-error.ts';
import type { User } from './directory/state.ts';
import type { UserPoolSettings } from './settings/user-pool.ts';

export interface Triggers {
  /** Throws `UserLambdaValidationException` when the function refuses the sign-up. */
  preSignUp(
    source: 'PreSignUp_SignUp' | 'PreSignUp_ExternalProvider',
    subject: { username: string; attributes: Record<string, string> },
    clientId: string,
  ): Promise<void>;
  /** Throws `UserLambdaValidationException` when the function refuses the sign-in. */
  preAuthentication(user: User, clientId: string): Promise<void>;
}

export function createTriggers(
  settings: UserPoolSettings,
  invoke: (functionArn: string, event: unknown) => Promise<unknown>,
): Triggers {
  const { preSignUp, preAuthentication } = settings.triggers;
  return {
    async preSignUp(source, { username, attributes }, clientId) {
      if (preSignUp === undefined) return;
      const request = { userAttributes: attributes, validationData: null };
      const response = { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false };
      await run(preSignUp, { ...describe(source, username, clientId), request, response });
    },
    async preAuthentication({ username, attributes, status }, clientId) {
      if (preAuthentication === undefined) return;
      const userAttributes = { ...attributes, 'cognito:user_status': status };
      const event = describe('PreAuthentication_Authentication', username, clientId);
      await run(preAuthentication, {
        ...event,
        request: { userAttributes, validationData: null },
        response: {},
      });
    },
  };

  function describe(triggerSource: string, userName: string, clientId: string) {
    const callerContext = { awsSdkVersion: 'aws-sdk-unknown-unknown', clientId };
    const { id, region } = settings;
    return { version: '1', region, userPoolId: id, userName, callerContext, triggerSource };
  }

  async function run<Event extends { triggerSource: string }>(
    functionArn: string,
    event: Event,
  ): Promise<void> {
    try {
      await invoke(functionArn, event);
    } catch (error) {
      const [trigger] = event.triggerSource.split('_');
      const message = `${trigger} failed with error ${messageOf(error)}.`;
      throw new CognitoError('UserLambdaValidationException', message);
    }
  }
}
