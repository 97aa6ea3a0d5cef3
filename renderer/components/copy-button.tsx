import ContentCopyIcon from '@mui/icons-material/ContentCopyOutlined';
import Button from '@mui/material/Button';
import { useToast } from '../app/toasts.tsx';
import { text } from '../text/text.ts';

/** Copies a text to the clipboard. */
export function CopyButton({ content, label = text.app.copy }: { readonly content: string; readonly label?: string }) {
  const toast = useToast();
  const copy = async () => {
    await writeClipboard(content);
    toast(text.app.copied);
  };
  return (
    <Button size="small" color="inherit" startIcon={<ContentCopyIcon />} onClick={() => void copy()}>
      {label}
    </Button>
  );
}

async function writeClipboard(content: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(content);
  } catch {
    // The desktop app refuses every permission; copying a selection needs none.
    const area = document.createElement('textarea');
    area.value = content;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
