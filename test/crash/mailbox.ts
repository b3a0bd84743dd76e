import { createServer, type Server, type Socket } from "node:net";

/** What the server says to a mail that it has read; null: it goes away without a word. */
export type MailReply = (body: string) => string | null;

/**
 * As much of an SMTP server as a client needs that sends one mail without login. The one of the other
 * tests waits a tenth of a second before it greets, which is too long for a thousand runs.
 */
export function createMailbox(reply: MailReply): Server {
  const server = createServer((socket) => {
    socket.setNoDelay(true).setEncoding("latin1");
    // Clients that are killed are what this is about.
    socket.on("error", () => socket.destroy());
    socket.write("220 mailbox ESMTP\r\n");
    talk(socket, reply);
  });
  return server;
}

const END_OF_MAIL = "\r\n.\r\n";

function talk(socket: Socket, reply: MailReply): void {
  let text = "";
  let reading = false;
  const look = (): void => {
    const end = reading ? END_OF_MAIL : "\r\n";
    const at = text.indexOf(end);
    if (at < 0) return;
    const part = text.slice(0, at);
    text = text.slice(at + end.length);
    if (reading) {
      reading = false;
      const answer = reply(part);
      if (answer === null) return void socket.destroy();
      socket.write(`${answer}\r\n`);
    } else if (/^quit/i.test(part)) return void socket.end("221 Bye\r\n");
    else {
      reading = /^data/i.test(part);
      socket.write(reading ? "354 Go on\r\n" : "250 Yes\r\n");
    }
    look();
  };
  socket.on("data", (chunk) => {
    text += chunk.toString();
    look();
  });
}
