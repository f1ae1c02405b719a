// SPDX-License-Identifier: Apache-2.0
package io.mely.images;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import io.mely.Deployment;
import io.mely.Policy;
import io.mely.images.picture.PictureFormat;
import io.mely.images.picture.TestPictures;
import io.mely.policy.PoolPolicy;
import io.mely.policy.VisitPolicy;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

// Whatever the stages run under, the same pictures become the same files, to the byte.
@Timeout(180)
class ImagesPolicyTest extends ImagesHarness {
    private static final Map<String, Map<String, Integer>> BY_POLICY = new ConcurrentHashMap<>();

    static List<Arguments> policies() {
        return List.of(
                Arguments.of("colored", Policy.colored()),
                Arguments.of("central", Policy.centralQueue()),
                Arguments.of("cohort", Policy.of("cohort", VisitPolicy.cohort().withStacks())),
                Arguments.of("mg1", Policy.of("mg1", VisitPolicy.mg1())),
                Arguments.of("srpt", Policy.of("srpt", VisitPolicy.srpt())),
                Arguments.of("seda", Policy.of("seda", PoolPolicy.perStage(2))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("policies")
    void files_areTheSameUnderEachPolicy(String name, Policy policy) throws Exception {
        start(new Deployment().withGroup("main", policy), 1 << 30, true);
        List<String> names = new ArrayList<>();
        List<byte[]> pictures = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            PictureFormat format = PictureFormat.values()[i % 3];
            names.add("picture" + i);
            byte[] file = TestPictures.file(TestPictures.photo(150 + 40 * i, 180, i), format);
            pictures.add(format == PictureFormat.JPEG ? TestPictures.withExif(file, 3 + i) : file);
        }
        HttpResponse<String> answer = postForm(names, pictures);
        assertThat(answer.statusCode()).isEqualTo(202);
        Map<String, Integer> hashes = new TreeMap<>();
        for (Config outcome : outcomes(answer)) {
            for (Config file : finished(outcome.getString("id")).getConfigList("ready")) {
                String address = file.getString("address");
                hashes.put(address, java.util.Arrays.hashCode(get(address).body()));
            }
        }
        assertThat(hashes).hasSize(6 * RECIPE.files());
        BY_POLICY.put(name, hashes);
        assertThat(BY_POLICY.values()).allSatisfy(other -> assertThat(other).isEqualTo(hashes));
    }
}
