import io.mely.Mely;
import io.mely.Policy;
import io.mely.Stage;
import io.mely.spi.Lane;
import io.mely.spi.StageGroup;
import io.mely.spi.Worker;
import io.mely.spi.Workers;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Stages whose names begin with "urgent" before all others; every core runs every stage. */
public final class UrgentFirst implements StageGroup, StageGroup.Visitor {
    private final Queue<Lane> urgent = new ConcurrentLinkedQueue<>();
    private final Queue<Lane> others = new ConcurrentLinkedQueue<>();
    private final Workers workers;

    public UrgentFirst(Workers workers) {
        this.workers = workers;
    }

    @Override
    public Sink sink(Stage<?> stage) { // where lanes of this stage wait
        Queue<Lane> queue = stage.name().startsWith("urgent") ? urgent : others;
        return lane -> {
            queue.add(lane); // first it can be found,
            workers.wakeOne(); // then somebody looks
        };
    }

    @Override
    public Visitor visitor(int core) { // a core needs nothing of its own
        return this;
    }

    @Override
    public int run(Worker worker) {
        int ran = 0;
        boolean goesOn = true;
        while (goesOn && !worker.isSliceOver()) {
            Lane lane = urgent.poll();
            lane = lane == null ? others.poll() : lane;
            if (lane == null) {
                break;
            }
            goesOn = worker.run(lane);
            ran++;
        }
        return ran;
    }

    @Override
    public boolean hasWork() {
        return !urgent.isEmpty() || !others.isEmpty();
    }

    public static void main(String[] args) {
        Policy policy = Policy.of("urgent-first", UrgentFirst::new);
        try (Mely mely = Mely.builder().cores(1).policy(policy).build()) {
            Stage<String> report = mely.stage("report", System.out::println);
            Stage<String> call = mely.stage("urgent call", System.out::println);
            report.send(mely.color(1), "a report");
            call.send(mely.color(2), "a call");
            mely.start();
        }
    }
}
