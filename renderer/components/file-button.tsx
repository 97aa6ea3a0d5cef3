import Button from '@mui/material/Button';
import { useRef } from 'react';

interface Props {
  readonly label: string;
  /** As the file dialog takes them, e.g. `.yaml,.json`. */
  readonly endings: string;
  readonly size?: 'small' | 'medium';
  readonly onText: (content: string) => void;
}

/** Takes the text of a file that somebody chooses. */
export function FileButton({ label, endings, size = 'medium', onText }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button size={size} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        accept={endings}
        hidden
        aria-label={label}
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = '';
          if (file !== undefined) void file.text().then(onText);
        }}
      />
    </>
  );
}
