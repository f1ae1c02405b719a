import io.mely.Color;
import io.mely.Mely;
import io.mely.Stage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;

/** Answers questions in four stages, with buffers that live across some of them: a program for the commands of "stingy". */
public final class Quotes {
    private static final class Question {
        final Color color;
        final String text;
        ByteBuf input;
        ByteBuf head;
        ByteBuf body;

        Question(Color color, String text) {
            this.color = color;
            this.text = text;
        }
    }

    private final ByteBufAllocator buffers = PooledByteBufAllocator.DEFAULT;
    private final LongAdder answered = new LongAdder();
    private final Stage<Question> read;
    private final Stage<Question> parse;
    private final Stage<Question> answer;
    private final Stage<Question> write;

    private Quotes(Mely mely) {
        write = mely.stage("write", this::write);
        answer = mely.stage("answer", this::answer);
        parse = mely.stage("parse", this::parse);
        read = mely.stage("read", this::read);
    }

    private void read(Question question) {
        question.input = buffers.buffer(4096);
        question.input.writeCharSequence(question.text, StandardCharsets.UTF_8);
        parse.send(question.color, question);
    }

    private void parse(Question question) {
        question.head = buffers.buffer(512);
        question.head.writeInt(question.input.readableBytes());
        answer.send(question.color, question);
    }

    private void answer(Question question) {
        question.body = buffers.buffer(16384);
        question.body.writeBytes(question.input);
        question.input.release();
        write.send(question.color, question);
    }

    private void write(Question question) {
        answered.add(question.head.readInt() == question.body.readableBytes() ? 1 : 0);
        question.head.release();
        question.body.release();
    }

    public static void main(String[] args) {
        Quotes quotes;
        try (Mely mely = Mely.builder().build().start()) {
            quotes = new Quotes(mely);
            for (int i = 0; i < 10_000; i++) {
                quotes.read.send(mely.color(i), new Question(mely.color(i), "question " + i));
            }
        } // close() runs what is pending
        System.out.println(quotes.answered + " answers");
    }
}
