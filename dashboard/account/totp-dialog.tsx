import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, Suspense, useEffect, useRef } from 'react';
import { post } from '#dashboard/api/client.ts';
import { accountQuery } from '#dashboard/api/sign-in.ts';
import { Button } from '#dashboard/components/button.tsx';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import type { TotpSetup } from '#lambdas/accounts/sign-in/responses.ts';
import { checkCode, normalizeCode } from './verification-code.ts';

const QrCode = lazyComponent(() => import('./qr-code.tsx'), 'QrCode');

interface TotpDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** The call that creates the secret, which has begun. */
  setup: UseMutationResult<TotpSetup, Error, void>;
  /** Takes the focus after success, when the button that opened the dialog is gone. */
  focusAfter: RefObject<HTMLElement | null>;
}

/** Sets up an authenticator app: the secret as a QR code and as text, then a code from the app as proof. */
export function TotpDialog({ open, onOpenChange, setup, focusAfter }: TotpDialogProps) {
  const succeeded = useRef(false);
  useEffect(() => {
    if (open) succeeded.current = false;
  }, [open]);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Set up authenticator app"
      description="Scan the QR code with your app, then enter the code that it shows."
      finalFocus={() => (succeeded.current ? focusAfter.current : true)}
    >
      {setup.error ? (
        <SetupFailed message={setup.error.message} onRetry={() => setup.mutateAsync()} />
      ) : (
        <SetupForm
          setup={setup.data}
          onCancel={() => onOpenChange(false)}
          onDone={() => {
            succeeded.current = true;
            onOpenChange(false);
          }}
        />
      )}
    </Dialog>
  );
}

function SetupFailed({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <Notice
      tone="danger"
      role="alert"
      action={
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {message}
    </Notice>
  );
}

interface SetupFormProps {
  setup: TotpSetup | undefined;
  onCancel: () => void;
  onDone: () => void;
}

function SetupForm({ setup, onCancel, onDone }: SetupFormProps) {
  const queryClient = useQueryClient();
  const verify = useMutation({
    mutationFn: (code: string) => post('/account/totp/verification', { code }),
    onSuccess: async () => {
      await queryClient.invalidateQueries(accountQuery);
      notifySuccess('The authenticator app is set up');
      onDone();
    },
  });
  const qrCodePlace = <Skeleton className="size-44" />;

  return (
    <Form
      fields={['code']}
      error={verify.error}
      onSubmit={(values) => verify.mutateAsync(normalizeCode(values.code))}
    >
      <div className="flex justify-center">
        {setup ? (
          <Suspense fallback={qrCodePlace}>
            <QrCode text={setup.uri} label="QR code for your authenticator app" />
          </Suspense>
        ) : (
          qrCodePlace
        )}
      </div>
      <p className="mt-4 text-[0.8125rem] text-muted">Or enter this key in the app:</p>
      <div className="mt-1.5 mb-5 flex min-h-11 items-center gap-2 rounded-lg border border-line bg-canvas py-1 pr-1.5 pl-3">
        {setup ? (
          <>
            <code className="min-w-0 flex-1 font-mono text-[0.8125rem] wrap-break-word">
              {groupsOfFour(setup.secret)}
            </code>
            <CopyButton label="Copy key" text={setup.secret} />
          </>
        ) : (
          <Skeleton className="h-4 w-full" />
        )}
      </div>
      <TextField
        label="Code from the app"
        name="code"
        look="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        placeholder="000000"
        validate={checkCode}
      />
      <FormActions onCancel={onCancel} pending={verify.isPending} disabled={setup === undefined}>
        Turn on
      </FormActions>
    </Form>
  );
}

function groupsOfFour(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}
